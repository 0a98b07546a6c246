"""Writes JPEG files like photographs: 500 x 375, quality 87, smooth noise at all scales and a few hard edges, which
makes them about as large as photographs of that size.

    make_pictures.py FOLDER COUNT        FOLDER/<class>/<number>.jpg
"""

import sys
from multiprocessing import Pool
from pathlib import Path

import numpy
from PIL import Image, ImageDraw

WIDTH, HEIGHT, CLASSES = 500, 375, 10


def picture(number: int) -> Image.Image:
    random = numpy.random.default_rng(number)
    light = numpy.zeros((HEIGHT, WIDTH, 3), numpy.float32)
    for level in range(1, 10):  # an octave finer is a little weaker, as in nature
        cells = 2**level
        grey = random.normal(size=(cells, cells, 1))
        coarse = (0.85 * grey + 0.3 * random.normal(size=(cells, cells, 3))).astype(numpy.float32)
        layer = [Image.fromarray(coarse[..., c]).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC) for c in range(3)]
        light += numpy.stack([numpy.asarray(channel) for channel in layer], axis=-1) * 50 * 0.76**level
    image = Image.fromarray((128 + light).clip(0, 255).astype(numpy.uint8))
    shade = Image.new("L", (WIDTH, HEIGHT), 0)
    for _ in range(6):
        corners = random.integers(0, (WIDTH, HEIGHT), size=(3, 2))
        ImageDraw.Draw(shade).polygon([tuple(map(int, corner)) for corner in corners], fill=int(random.integers(30, 120)))
    return Image.composite(Image.new("RGB", (WIDTH, HEIGHT), tuple(map(int, random.integers(0, 255, 3)))), image, shade)


def write(job: tuple[Path, int]) -> int:
    folder, number = job
    path = folder / str(number % CLASSES) / f"{number:05}.jpg"
    path.parent.mkdir(parents=True, exist_ok=True)
    picture(number).save(path, quality=87)
    return path.stat().st_size


if __name__ == "__main__":
    with Pool() as pool:
        sizes = pool.map(write, [(Path(sys.argv[1]), number) for number in range(int(sys.argv[2]))], chunksize=16)
    print(f"{len(sizes)} pictures of {sum(sizes) / len(sizes) / 1000:.0f} kB on average")
