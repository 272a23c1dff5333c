//! What is fuzzed: one module for each kind of bytes that comes from outside. Each takes one input, and panics where something is wrong.

macro_rules! targets {
    ($($name:ident)*) => {
        $(mod $name;)*
        /// Name of each target, as its seeds' folder has it, and what takes an input.
        pub const TARGETS: &[(&str, fn(&[u8]))] = &[$((stringify!($name), $name::run)),*];
    };
}

targets! {
    base_speed board_frames bridge_message capacity_trace command companion definition device_tree drive_file fleet gate_report graph
    kernel_configuration master message mjpeg node_bridge_master node_bridge_message picture probe public_keys records result_file robot_yaml rtos_image secret_key session site_yaml table
    tcpros topics ttsp_scenario wire_packet xmlrpc
}
