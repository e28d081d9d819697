#include "common/http/framing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/common/http/exchange_bytes.h"
#include "tests/support/folders.h"

namespace mc::http {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Exchange& echo_exchange() {
  static const Exchange exchange(
      {{"POST", "/echo", "",
        [](const Request& request) { return Response{200, std::string(request.body)}; }}},
      false);
  return exchange;
}

TEST(HttpFraming, AHeadEndsWithItsEmptyLineWhereverTheBytesWereCut) {
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  for (std::size_t cut = 0; cut < head.size(); ++cut) {
    EXPECT_EQ(end_of_head(head.substr(0, cut)), std::nullopt) << cut;
    EXPECT_EQ(end_of_head(head + "body", cut), head.size()) << cut;
  }
}

TEST(HttpFraming, WhatCannotBeWeighedIsRefusedAndTheRestIsNotRead) {
  const struct {
    const char* headers;
    int status;
    std::size_t body;
    bool close;
  } cases[] = {
      {"", 0, 0, false},
      {"Content-Length: 10\r\n", 0, 10, false},
      {"content-length:  10 \r\nContent-Length: 10\r\n", 0, 10, false},
      {"Content-Length: 11\r\n", 413, 11, false},
      {"Content-Length: 11\r\nExpect: 100-continue\r\n", 413, 11, true},
      {"Content-Length: 99999999999\r\n", 413, 99'999'999'999, true},
      {"Content-Length: 1\r\nContent-Length: 2\r\n", 400, 0, true},
      {"Content-Length: -1\r\n", 400, 0, true},
      {"Content-Length: 99999999999999999999\r\n", 400, 0, true},
      {"Content-Length: 1, 1\r\n", 400, 0, true},
      {"Content-Length : 1\r\n", 400, 0, true},
      {"no colon\r\n", 400, 0, true},
      {"Transfer-Encoding: chunked\r\n", 411, 0, true},
      {"Content-Encoding: gzip\r\nContent-Length: 1\r\n", 415, 0, true},
      {"Content-Encoding: identity\r\nContent-Length: 1\r\n", 0, 1, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.headers);
    const Framing framing = framing_of("POST / HTTP/1.1\r\n" + std::string(c.headers) + "\r\n", 10);
    EXPECT_EQ(framing.refusal ? framing.refusal->status : 0, c.status);
    EXPECT_EQ(framing.refusal && framing.refusal->close, c.close);
    if (c.status == 0 || c.status == 413) {
      EXPECT_EQ(framing.body, c.body);
    }
  }
  std::string many = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i <= kMostHeaders; ++i) many += "a:b\r\n";
  EXPECT_EQ(framing_of(many + "\r\n", 10).refusal->status, 431);
}

TEST(HttpFraming, BytesThatAreNoHeadAreToldAtOnce) {
  EXPECT_FALSE(not_a_head(""));
  EXPECT_FALSE(not_a_head("GE"));
  EXPECT_EQ(not_a_head("\x16\x03\x01")->status, 400);
  EXPECT_EQ(not_a_head(std::string(kMostHeadBytes, 'A'))->status, 431);
}

TEST(HttpFraming, ARefusalFor429SaysWhenToComeAgain) {
  EXPECT_THAT(bytes_of({429, "why"}), HasSubstr("429 Too Many Requests\r\n"));
  EXPECT_THAT(bytes_of({429, "why"}), HasSubstr("\r\nRetry-After: 1\r\n"));
}

TEST(Exchange, PipelinedRequestsAreAnsweredInTheirOrder) {
  std::string bytes;
  for (const char c : {'a', 'b', 'c'}) {
    bytes += "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n" + std::string(1, c);
  }
  const std::string answers = answers_to(echo_exchange(), bytes, 10);
  EXPECT_EQ(test::count(answers, "HTTP/1.1 200 OK\r\n"), 3);
  const auto a = answers.find("\r\n\r\na"), b = answers.find("\r\n\r\nb");
  EXPECT_LT(a, b);
  EXPECT_LT(b, answers.find("\r\n\r\nc"));
}

TEST(Exchange, RangesAreNotServedAndExpectIsAnsweredBeforeTheBody) {
  const std::string answers =
      answers_to(echo_exchange(),
                 "POST /echo HTTP/1.1\r\nRange: bytes=0-0,0-1,0-2\r\nExpect: 100-continue\r\n"
                 "Content-Length: 4\r\n\r\nbody",
                 10);
  EXPECT_THAT(answers, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answers, HasSubstr("\r\n\r\nbody"));
}

TEST(Exchange, WhatItDoesNotUnderstandEndsTheConnection) {
  const std::string get = "POST /echo HTTP/1.1\r\nContent-Length: 0\r\n\r\n";
  const std::string answers =
      answers_to(echo_exchange(), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + get, 10);
  EXPECT_THAT(answers, StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_EQ(test::count(answers, "HTTP/1.1 "), 1);
}

}  // namespace
}  // namespace mc::http
