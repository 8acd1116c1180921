// A program that is linked against libtorch and never opens it.
#include <ATen/ATen.h>

#include <cstdio>

int main()
{
    at::Tensor x = at::ones({3});
    for (int i = 0; i < 21; i++)
        x = at::neg(x);
    std::printf("sum %.0f\n", x.sum().item<double>());
    return 4;
}
