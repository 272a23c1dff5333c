//! The macro that makes an image.

/// Makes this program an image of these nodes.
///
/// `processors`: 1 to 4. `control`, `realtime`: tasks for callbacks of these classes, one for each node that has such. A node: its name, the
/// processor of its main task, its program ([`Run`](crate::Run)).
#[macro_export]
macro_rules! board {
    (
        processors: $processors:expr,
        control: $control:expr,
        realtime: $realtime:expr,
        nodes: { $($name:literal on $on:literal => $run:expr),+ $(,)? } $(,)?
    ) => {
        #[derive(Clone, Copy)]
        struct Image;

        const ON: &[u8] = &[$($on),+];
        const COUNTS: $crate::Counts = $crate::Counts {
            processors: $processors,
            nodes: ON.len(),
            spare: 1,
            control: $control,
            realtime: $realtime,
        };

        static PROCESSORS: [$crate::generated::Processor; COUNTS.processors] =
            [const { $crate::generated::Processor::new() }; COUNTS.processors];
        static TASKS: [$crate::generated::Task; COUNTS.tasks()] = $crate::tasks(COUNTS, ON);
        #[unsafe(link_section = ".stacks.tasks")]
        static STACKS: [$crate::generated::Stack<{ $crate::STACK_BYTES }>; COUNTS.tasks()] =
            [const { $crate::generated::Stack::new() }; COUNTS.tasks()];
        static RANGES: [$crate::generated::StackRange; COUNTS.tasks()] = $crate::ranges(&STACKS);
        static WORKERS: [$crate::generated::Worker; COUNTS.workers()] = $crate::workers(COUNTS);
        static NODES: [$crate::Entry; COUNTS.nodes] = [$($crate::Entry { name: $name, run: $run }),+];
        static KERNEL: $crate::generated::Kernel<$crate::generated::Board<$crate::Parts<Image>>> =
            $crate::generated::Kernel::new($crate::generated::Board::new($crate::Parts::new()));

        impl $crate::Image for Image {
            #[inline(always)]
            fn kernel() -> &'static $crate::generated::Kernel<$crate::generated::Board<$crate::Parts<Image>>> {
                &KERNEL
            }

            #[inline(always)]
            fn layout() -> $crate::Layout {
                $crate::Layout {
                    processors: &PROCESSORS,
                    tasks: &TASKS,
                    stacks: &RANGES,
                    workers: &WORKERS,
                    nodes: &NODES,
                }
            }

            type Device = $crate::generated::Network;

            fn device() -> ::core::result::Result<$crate::Found<Self::Device>, $crate::generated::String> {
                $crate::virt::find()
            }

            fn acknowledge(line: u32) {
                $crate::virt::acknowledge(line);
            }

            fn epoch_seconds() -> u64 {
                $crate::virt::epoch_seconds()
            }
        }

        static PORT: $crate::generated::Rtos<$crate::Here<Image>> =
            $crate::generated::Rtos::new($crate::Here::new());
        $crate::generated::tokkyu_callbacks::port!(PORT);
        $crate::generated::system!(KERNEL);

        #[panic_handler]
        fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
            $crate::panic(info)
        }
    };
}
