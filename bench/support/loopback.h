#pragma once

namespace mc::bench {

// A loopback port that was free a moment ago.
int free_port();

// A connection to this loopback port; -1 if nothing listens there.
int connected(int port);

// True if something listens on this loopback port.
bool accepts(int port);

}  // namespace mc::bench
