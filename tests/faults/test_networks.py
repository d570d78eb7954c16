"""Workers in network namespaces, one of which is cut off for a while."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.clusters import DaskCluster
from faults.contests import command, games_of, write_bots
from faults.cuts import play_with_cuts
from faults.networks import Network, NoNetworkError
from support.command_line import arena


@pytest.mark.slow
def test_a_worker_that_is_cut_off_for_a_while_changes_no_game(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    bots = write_bots(tmp_path / "bots", 2, seconds=0.01)
    try:
        with Network(2) as network, DaskCluster(tmp_path / "dask", 2, network) as cluster:
            where = tmp_path / "cut"
            play_with_cuts(network, cluster.address, bots, where, 5, [((0,), 2.0)])
    except NoNetworkError as error:
        pytest.skip(str(error))
    calm = arena(*command(bots, tmp_path / "calm", 5)[3:], cwd=tmp_path)
    assert calm.returncode == 0, calm.stderr
    assert games_of(tmp_path / "cut").equals(games_of(tmp_path / "calm"))
