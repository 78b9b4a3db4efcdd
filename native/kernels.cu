// The kernels that cases launch. nvcc and NVRTC both compile them, so nothing is included.
// A kernel's parameters are its interface: they stay, and are passed, although the bodies are empty.

extern "C" __global__ void empty() {}

extern "C" __global__ void pointers_16(float *a, float *b, float *c, float *d, float *e, float *f, float *g, float *h, float *i,
                                       float *j, float *k, float *l, float *m, float *n, float *o, float *p) {}
