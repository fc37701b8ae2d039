"""Pages that the package writes: their tags, and what a browser says of them."""

import json
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')
in_a_browser = pytest.mark.skipif(
    CHROMIUM is None, reason='needs the browser chromium (apt install chromium)')


class Source(HTMLParser):
    """The tags and their attributes; all of them close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ('meta', 'link', 'img'):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def allowed(page: str, script: str) -> str:
    """Return a page whose policy, if it has one, allows another script."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return page.replace('; script-src ', f"; script-src 'sha256-{digest}' ", 1)


def asked(text: str, script: str, folder: Path, *options: str, complaints: int = 0) -> Any:
    """Return what a script at the end of a page gives as title; the browser does not complain."""
    for text_of_script in re.findall('<script[^>]*>(.*?)</script>', script, re.DOTALL):
        text = allowed(text, text_of_script)
    page = folder / 'page.html'
    page.write_text(text.replace('</body>', script + '</body>'), encoding='utf-8')
    done = subprocess.run(
        [str(CHROMIUM), '--headless', '--no-sandbox', '--disable-gpu', '--enable-logging=stderr',
         '--host-resolver-rules=MAP * ~NOTFOUND', f'--user-data-dir={folder / "profile"}',
         *options, '--dump-dom', page.as_uri()], capture_output=True, text=True, timeout=230)
    title = re.search('<title>({.*?})</title>', done.stdout, re.DOTALL)
    assert title, done.stderr
    said = [line for line in done.stderr.splitlines() if 'CONSOLE' in line]
    assert len(said) == complaints, said
    return json.loads(title[1])
