// Baselines over the runtime API, linked statically.
#pragma once

#include <cuda_runtime_api.h>

#include "../cases.hpp"

#pragma GCC visibility push(hidden)

Status status_of(cudaError_t error);

#pragma GCC visibility pop
