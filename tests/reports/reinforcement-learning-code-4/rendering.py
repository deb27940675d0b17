"""A viewer that is closed by __del__, and looks up its errors where it is closed."""


class Window:
    def draw(self, position):
        self.drawn = position

    def destroy(self):
        errcheck()


def errcheck():
    from xml.parsers import expat

    return expat.errors.codes


class Viewer:
    def __init__(self):
        self.window = Window()
        self.is_open = True

    def draw(self, position):
        self.window.draw(position)

    def close(self):
        if self.is_open:
            self.is_open = False
            self.window.destroy()

    def __del__(self):
        self.close()
