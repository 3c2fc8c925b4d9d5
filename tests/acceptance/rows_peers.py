from tests.acceptance.row import Row
PEERS: tuple[Row, ...] = ()
