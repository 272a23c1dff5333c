//! The layout of the image, and what is declared of its topics.

fn main() {
    tokkyu_board_build::image().robot("robot.yaml").build();
}
