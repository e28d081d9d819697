#pragma once

namespace mc {

// A deleter that calls a C library's function: std::unique_ptr<X509, FreeWith<X509_free>>.
template <auto Free>
struct FreeWith {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

}  // namespace mc
