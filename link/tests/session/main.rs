//! Two ends of a link in virtual time, one idea for each file; `world` is what they stand in. One program: linking is what takes long.

mod black_hole;
mod clocks;
mod competition;
mod determinism;
mod endless_wait;
mod figures;
mod giving_way;
mod grant;
mod granted_rate;
mod hostile;
mod ledger;
mod memory_bound;
mod outage;
mod packet_size;
mod paused_clock;
mod priority;
mod qos_durability;
mod qos_history;
mod qos_readers;
mod qos_reliability;
mod qos_time;
mod rate;
mod thin_path;
mod two_paths;
mod withdraw;
mod world;
