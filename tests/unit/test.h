/* test.h: what every unit test includes. A test is named for the fact it holds. */
#ifndef OT_TESTS_UNIT_TEST_H
#define OT_TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define RUN(tests) cmocka_run_group_tests(tests, NULL, NULL)

#endif
