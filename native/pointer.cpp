// Mirrors cases/pointer.py.
#include "driver.hpp"

DRIVER(PointerGetAttribute, 4000)
DRIVER(PointerGetAttributes, 7000)

CASE("pointer.attribute") {
  const CUdeviceptr address = buffer();
  int ordinal, status = 0;
  for (auto _ : loop) status |= driver::PointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address);
  return status_of(CUresult(status));
}

CASE("pointer.attributes") {
  const CUdeviceptr address = buffer();
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                 CU_POINTER_ATTRIBUTE_IS_MANAGED};
  CUmemorytype kind;
  int ordinal, managed;
  void *answers[] = {&kind, &ordinal, &managed};
  int status = 0;
  for (auto _ : loop) status |= driver::PointerGetAttributes(3, asked, answers, address);
  return status_of(CUresult(status));
}
