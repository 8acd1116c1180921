/* simdjson's On-Demand interface: usage: peer_simdjson load|map FILE
 *
 * `load` is what its documentation does, and mostly waits for 1 GB of memory to be cleared; `map`
 * spares it that, which halves the time of a big file. */
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <simdjson.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>

#include "rows.h"

using namespace simdjson;

static std::string_view text_of(ondemand::object &event, const char *key)
{
    std::string_view text;
    return event[key].get_string().get(text) == SUCCESS ? text : std::string_view();
}

static Rows fold(padded_string_view json)
{
    ondemand::parser parser;
    ondemand::document document = parser.iterate(json);
    Rows rows;
    for (ondemand::object event : document["traceEvents"].get_array()) {
        if (text_of(event, "ph") != "X")
            continue;
        std::string_view category = text_of(event, "cat");
        std::string_view name = text_of(event, "name");
        double dur_us = 0;
        if (event["dur"].get(dur_us) != SUCCESS)
            dur_us = 0;
        rows.add({name, category}, dur_us);
    }
    return rows;
}

/* The file lies over the start of a longer piece of empty memory, for the padding behind it. Ends
 * with the process. */
static padded_string_view map_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0)
        throw std::system_error(errno, std::generic_category());
    size_t len = static_cast<size_t>(status.st_size);
    void *memory =
        mmap(nullptr, len + SIMDJSON_PADDING, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED ||
        mmap(memory, len, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, fd, 0) == MAP_FAILED)
        throw std::system_error(errno, std::generic_category());
    return padded_string_view(static_cast<const char *>(memory), len, len + SIMDJSON_PADDING);
}

int main(int argc, char **argv)
try {
    if (argc != 3)
        return 2;
    if (std::strcmp(argv[1], "map") == 0) {
        fold(map_file(argv[2])).print();
    } else {
        padded_string json = padded_string::load(argv[2]);
        fold(json).print();
    }
    return 0;
} catch (const std::exception &fault) {
    std::cerr << argv[2] << ": " << fault.what() << "\n";
    return 1;
}
