"""A page with a button, in BrowserGym: a browser for the page, and one for its chat."""

from browsergym.core.env import BrowserEnv
from browsergym.core.task import AbstractBrowserTask

PAGE = "<button id=it onclick=\"this.innerText = 'done'\">press</button>"


class Button(AbstractBrowserTask):
    @classmethod
    def get_task_id(cls):
        return "button"

    def __init__(self, seed=0):
        super().__init__(seed)
        self.viewport = {"width": 400, "height": 300}
        self.slow_mo = 0
        self.timeout = 5000

    def setup(self, page):
        page.set_content(PAGE)
        return "Press the button.", {}

    def validate(self, page, chat_messages):
        done = page.inner_text("#it") == "done"
        return float(done), done, "", {}

    def teardown(self):
        pass


class Forgetful(BrowserEnv):
    def close(self):
        pass


def closed():
    return BrowserEnv(Button, headless=True)


def forgotten():
    return Forgetful(Button, headless=True)
