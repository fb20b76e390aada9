"""All-pairs n-body: the acceleration of each body by the gravitation of all bodies.

a_i = sum over j of m_j (p_j - p_i) / (|p_j - p_i|^2 + e)^(3/2), where e limits the force between
close bodies. There are two forms with the same bits. In `threads`, each thread reads all bodies
from global memory. In `blocks`, 256 threads process chunks of 256 bodies together. Each chunk is
forced first, so an element is loaded once for 256 uses. From: L. Nyland, M. Harris, J. Prins, Fast
N-body simulation with CUDA, GPU Gems 3, 2007.

>>> import numpy as np
>>> x, m = np.float32([0, 1]), np.float32([1, 1])
>>> threads((x, 0 * x, 0 * x, m), 0.0625)[0]
array([ 0.91307527, -0.91307527], dtype=float32)
"""

from typing import Annotated, NamedTuple

import obsidian as obs
from obsidian import Pull, block, f32


class Vector(NamedTuple):
    x: f32
    y: f32
    z: f32


class Body(NamedTuple):
    x: f32
    y: f32
    z: f32
    mass: f32


def none():
    return Vector(f32(0), f32(0), f32(0))


def attract(a, p, body, e):
    """The acceleration `a` at the place `p`, with the part of a body."""
    dx, dy, dz = body.x - p.x, body.y - p.y, body.z - p.z
    square = dx * dx + dy * dy + dz * dz + e
    s = body.mass / (square * obs.sqrt(square))
    return Vector(a.x + s * dx, a.y + s * dy, a.z + s * dz)


@obs.jit(threads=256)
def threads(bodies: Annotated[Pull, "n", Body], e: f32):
    def acceleration(p):
        return obs.loop(bodies.size, none())(lambda j, a: attract(a, p, bodies[j], e))

    return bodies.map(acceleration)


@obs.jit(threads=256)
def blocks(bodies: Annotated[Pull, "n", Body], e: f32):
    chunks = bodies.split(256, pad=0)  # Bodies without mass attract no body.

    def accelerations(own):
        here = own.map(lambda p: Vector(p.x, p.y, p.z)).force()
        acc = obs.full(256, none())
        for k in obs.range(chunks.size):
            near = chunks[k].force("shared")
            acc = here.map(
                lambda p, a: obs.loop(256, a)(lambda j, a: attract(a, p, near[j], e)), acc
            ).force()
        return acc

    return obs.concat((accelerations(c) for c in chunks), level=block, to=bodies.size)
