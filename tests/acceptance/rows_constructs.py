from tests.acceptance.row import Row
CONSTRUCTS: tuple[Row, ...] = ()
