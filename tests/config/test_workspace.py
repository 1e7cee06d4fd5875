"""What the app sees of the configuration: it reloads when a file changes, looks around only when asked."""

import json

from support.scripted_server import ScriptedServer, whole

from chatui.config.paths import find_paths
from chatui.wiring import LaunchOptions, open_workspace


def test_a_changed_file_is_read_again_and_a_mistake_in_it_costs_only_itself():
    workspace = open_workspace(LaunchOptions())
    assert not workspace.reload_if_changed()
    file = find_paths().config_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('[ui]\ntheme = "nord"\nmouse = 3\n')
    assert workspace.reload_if_changed()
    assert workspace.settings.ui.theme == "nord"
    assert workspace.settings.ui.mouse is True
    assert workspace.problems == (f"{file}:3: ui.mouse: must be true or false, not 3",)
    assert not workspace.reload_if_changed()
    file.unlink()
    assert workspace.reload_if_changed()
    assert workspace.settings.ui.theme == "auto"


async def test_servers_on_this_machine_are_named_with_their_models(monkeypatch):
    with ScriptedServer() as server:
        server.play(*whole(json.dumps({"data": [{"id": "llama"}]}).encode()))
        monkeypatch.setenv("OLLAMA_HOST", server.base_url)
        workspace = open_workspace(LaunchOptions())
        found = await workspace.look_for_local_servers()
        await workspace.aclose()
    assert found["ollama"] == ("llama",)
