from tests.loop.turn_bench import bench

__all__ = ["bench"]
