//! The kernel on the hosted port.

mod budgets;
mod contexts;
mod desk;
mod hall;
mod lines;
mod mutexes;
mod notifications;
mod overrun;
mod pairs;
mod queues;
mod states;
mod termination;
mod time;
mod waits;
