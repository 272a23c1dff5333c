//! ROS 1's protocols: what is read and written, beside Python's own reader. One program: linking is what takes long.

mod http;
mod names;
mod python;
mod tcpros;
mod tree;
mod uri;
mod xmlrpc;
mod xmlrpc_documents;
mod xmlrpc_write;
