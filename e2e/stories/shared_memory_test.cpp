#include "e2e/stories/pod_story.h"

// /dev/shm as the kubelet makes it.
namespace mc::e2e {
namespace {

using ::testing::HasSubstr;

class RealFluxSharedMemory : public PodStory {};

// Prints the size of /dev/shm in KiB.
const std::string kSize = "df --output=size -k /dev/shm | tail -n 1";

// Three pods at once.
TEST_F(RealFluxSharedMemory, IsHalfOfTheMemoryLimitAndAProgramThatFindsItFullIsTold) {
  json limited = minicluster("limited", 1,
                             sh(kSize + "\nexec /opt/software/python/bin/python3 -c \"\n"
                                        "import mmap\n"
                                        "size = 400 << 20\n"
                                        "file = open(\\\"/dev/shm/window\\\", \\\"wb+\\\")\n"
                                        "file.truncate(size)\n"
                                        "window = mmap.mmap(file.fileno(), size)\n"
                                        "while True: window.write(bytes(1 << 20))\n\""),
                             json::object(), Flux::kInImage);
  container(limited)["resources"] = {{"limits", {{"memory", "600Mi"}}}};
  json sized = minicluster("sized", 1, sh(kSize),
                           {{"pod", {{"sharedMemory", {{"size", "100Mi"}}}}}}, Flux::kInImage);
  const json disabled = minicluster(
      "disabled", 1, sh(kSize), {{"pod", {{"sharedMemory", {{"disable", true}}}}}}, Flux::kInImage);
  for (const json& each : {limited, sized, disabled}) apply(each);
  ASSERT_TRUE(reaches("sized", "Complete"));
  EXPECT_THAT(log("sized", 0), HasSubstr("102400"));
  ASSERT_TRUE(reaches("disabled", "Complete"));
  EXPECT_THAT(log("disabled", 0), HasSubstr("65536"));  // the runtime's 64 MiB
  ASSERT_TRUE(reaches("limited", "Failed"));
  EXPECT_THAT(log("limited", 0), HasSubstr("307200"));
  EXPECT_THAT(
      reason("limited", "Failed"),
      HasSubstr("The command ended with code 135; 135 means a bus error, most often because "
                "/dev/shm is full: raise spec.pod.sharedMemory.size"));
}

}  // namespace
}  // namespace mc::e2e
