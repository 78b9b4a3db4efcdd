// The kernels that cases launch. nvcc and NVRTC both compile them, so nothing is included.
// A kernel's parameters are its interface: they stay, and are passed, although the bodies are empty.

#define KERNEL(name, ...) \
  extern "C" __global__ void name(__VA_ARGS__) {}
#define TIMES_4(T) T, T, T, T
#define TIMES_16(T) TIMES_4(T), TIMES_4(T), TIMES_4(T), TIMES_4(T)
#define TIMES_64(T) TIMES_16(T), TIMES_16(T), TIMES_16(T), TIMES_16(T)
#define TIMES_256(T) TIMES_64(T), TIMES_64(T), TIMES_64(T), TIMES_64(T)
#define TIMES_512(T) TIMES_256(T), TIMES_256(T)

KERNEL(empty)

KERNEL(pointers_2, float *, float *)
KERNEL(pointers_16, TIMES_16(float *))
KERNEL(pointers_256, TIMES_256(float *))
KERNEL(pointers_512, TIMES_512(float *))

KERNEL(ints_16, TIMES_16(int))
KERNEL(ints_256, TIMES_256(int))
KERNEL(ints_512, TIMES_512(int))

KERNEL(doubles_16, TIMES_16(double))
KERNEL(doubles_256, TIMES_256(double))
KERNEL(doubles_512, TIMES_512(double))

KERNEL(bytes_16, TIMES_16(signed char))
KERNEL(bytes_256, TIMES_256(signed char))
KERNEL(bytes_512, TIMES_512(signed char))
