"""A real Chromium for tests of what we draw: no network, no window, its errors kept.

    with Browser(width=1280) as page:
        page.open("graph.svg")
        page.dark(True)
        page.screenshot("dark.png")
        assert page.errors() == []

What a test cannot do without (Chromium, its driver, selenium) is missing where `why_not()` says why.
"""
import pathlib
import shutil
import tempfile

SKIPPED = 77


def why_not():
    """Why there is no browser here; nothing if there is one."""
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            return f"{program} is not installed (tools/setup test)"
    try:
        import selenium  # noqa: F401 (only whether it is there)
    except ImportError:
        return "python3-selenium is not installed (tools/setup test)"
    return ""


class Browser:
    def __init__(self, width=1280, height=900):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        self.home = tempfile.TemporaryDirectory()
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND",
                         f"--user-data-dir={self.home.name}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.driver.set_page_load_timeout(60)
        self.driver.set_script_timeout(30)
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()
        self.home.cleanup()

    def command(self, name, **parameters):
        """One of the browser's own protocol."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def size(self, width, height=900):
        """Of the page, in its own pixels; narrower than any window can be, too."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                     mobile=False)

    def open(self, path):
        self.driver.get(pathlib.Path(path).absolute().as_uri())

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def dark(self, is_dark=True):
        self.media(scheme="dark" if is_dark else "light")

    def media(self, scheme="light", kind="screen"):
        """kind: "screen" or "print"."""
        self.command("Emulation.setEmulatedMedia", media=kind,
                     features=[{"name": "prefers-color-scheme", "value": scheme}])

    def press(self, *keys):
        """To what has the focus: characters or names of selenium's Keys."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys

        ActionChains(self.driver).send_keys(*(getattr(Keys, key, key) for key in keys)).perform()

    def errors(self):
        """What the console has said since the last call, but for plain information."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] != "INFO"]

    def load_ms(self):
        """From the start of navigation until the page was there."""
        return self.run("const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd - t.startTime")

    def screenshot(self, path, whole=False):
        """Of the window, or of all that one could scroll to."""
        import base64

        data = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(data["data"]))

    def print(self, path):
        import base64

        pathlib.Path(path).write_bytes(base64.b64decode(self.command("Page.printToPDF")["data"]))
