//! lbe, the tuner and the experiments on virtual boards: real kernels, the real module, the real `tc`.
//!
//! Boards count instructions, so what is asserted of time is of virtual time and repeats; where two processors are needed it
//! is function alone. Kernels and modules are made by linux/build.
mod bands;
mod bare;
mod classes;
mod content;
mod debug;
mod devices;
mod faults;
mod gate;
mod interrupts;
mod options;
mod oracles;
mod receive;
mod rtnet;
mod scene;
mod tool;
mod tuning;
