"""The driver's interface, read from headers."""

from __future__ import annotations

import pytest

from ctkmatrix.driverapi import Parameter, calls_of, entries_of, errors_of, types_of
from ctkmatrix.errors import CtkmatrixError

PREPROCESSED = """
typedef unsigned long int __uint64_t; typedef __uint64_t uint64_t; typedef uint64_t cuuint64_t;
typedef unsigned long long CUdeviceptr_v2;
typedef CUdeviceptr_v2 CUdeviceptr;
typedef cuuint64_t CUgraphConditionalHandle;
typedef int CUdevice_v1; typedef CUdevice_v1 CUdevice;
typedef struct CUstream_st *CUstream;
typedef struct CUuuid_st { char bytes[16]; } CUuuid;
typedef enum CUlimit_enum { CU_LIMIT_STACK_SIZE = 0x00 } CUlimit;
CUresult cuCtxSynchronize(void);
CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize);
CUresult cuMemAlloc(CUdeviceptr_v1 *dptr, unsigned int bytesize);
CUresult cuLaunch(CUstream hStream,
                  void **extra, const CUuuid *const names[2]);
"""

TYPEDEFS = """
typedef CUresult (CUDAAPI *PFN_cuMemAlloc_v3020)(CUdeviceptr_v2 *dptr, size_t bytesize);
typedef CUresult (CUDAAPI *PFN_cuMemAlloc_v2000)(CUdeviceptr_v1 *dptr, unsigned int bytesize);
"""


def test_calls_with_their_parameters() -> None:
    """Prototypes over several lines, without parameters, with pointers and arrays are read."""
    calls = calls_of(PREPROCESSED)
    assert calls["cuCtxSynchronize"].parameters == ()
    assert calls["cuMemAlloc_v2"].parameters == (Parameter("CUdeviceptr*", "dptr"), Parameter("size_t", "bytesize"))
    assert calls["cuLaunch"].signature == "CUstream hStream, void** extra, const CUuuid*const* names"
    assert calls["cuLaunch"].arguments == "hStream, extra, names"


def test_types_are_objects_or_numbers() -> None:
    """Pointers to hidden structures and wide CU types stand for objects; enumerations and narrow types are numbers."""
    types = types_of(PREPROCESSED)
    assert {"CUstream", "CUdeviceptr", "CUgraphConditionalHandle"} <= types.handles
    assert {"CUdevice", "CUlimit", "cuuint64_t", "size_t"} <= types.numbers
    assert not types.handles & types.numbers
    assert "CUuuid" not in types.handles | types.numbers


def test_versions_meet_their_symbols() -> None:
    """The oldest version is the symbol without a suffix, the next one _v2."""
    entries = list(entries_of(calls_of(PREPROCESSED), TYPEDEFS))
    assert ("cuMemAlloc", 2000, False, "cuMemAlloc") in entries
    assert ("cuMemAlloc", 3020, False, "cuMemAlloc_v2") in entries


def test_headers_that_contradict_each_other_are_told() -> None:
    """A version without a symbol of its own cannot be guessed: the message names the call."""
    third = "typedef CUresult (CUDAAPI *PFN_cuMemAlloc_v14000)(CUdeviceptr_v2 *dptr);"
    with pytest.raises(CtkmatrixError, match=r"cuMemAlloc.*\[3020, 2000, 14000\]"):
        list(entries_of(calls_of(PREPROCESSED), TYPEDEFS + third))


def test_errors_with_their_first_sentence() -> None:
    """The text of an error is what the header says first, without its markup."""
    header = """
typedef enum cudaError_enum {
    /**
     * The API call returned with no errors. In the case of query calls, more.
     */
    CUDA_SUCCESS                              = 0,
    /**
     * \\deprecated
     * This came from ::cuOld(). Not now.
     */
    CUDA_ERROR_OLD                            = 6
} CUresult;"""
    assert errors_of(header) == {
        "CUDA_SUCCESS": "The API call returned with no errors",
        "CUDA_ERROR_OLD": "This came from cuOld()",
    }
