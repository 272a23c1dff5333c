//! Tests of what lies beneath the connection: keys in files, marks on the socket.

mod keys;
mod socket;
