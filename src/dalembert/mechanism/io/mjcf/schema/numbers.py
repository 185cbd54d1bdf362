"""How many numbers each attribute of MJCF holds, by MuJoCo's reference.

The lists are those of MuJoCo 4.0. Where versions differ, they have the larger number: an older
MuJoCo still rejects what it does not know. Attributes that are not listed hold text.
"""

from __future__ import annotations

from typing import NamedTuple


class Numbers(NamedTuple):
    """From how many to how many numbers; None has no bound. ``whole`` numbers have no point."""

    fewest: int
    most: int | None
    whole: bool = False


def _listed(whole: bool, names: dict[tuple[int, int | None], str]) -> dict[str, Numbers]:
    return {
        name: Numbers(*bounds, whole) for bounds, text in names.items() for name in text.split()
    }


_WHOLE = {
    (1, 1): """
        actdim cameraid ccd_iterations conaffinity condim contype dim group height iterations
        ls_iterations maxhullvert nchannel nconmax ncol njmax nkey noslip_iterations nrow nsample
        nstack num numquads numslices numstacks nuser_actuator nuser_body nuser_cam nuser_geom
        nuser_jnt nuser_sensor nuser_site nuser_tendon nuserdata offheight offsamples offwidth
        priority sdf_initpoints sdf_iterations shadowsize activelayers
    """,
    (2, 2): "gridsize inertiagrouprange resolution",
    (3, 3): "cell cellcount count",
    (1, 31): "actuatorgroupdisable",
    (1, None): "element elemtexcoord face grid gridrange id vertid",
}
_REAL = {
    (1, 1): """
        accel actuatorlength actuatortendon actuatorwidth adhesion alpha area armature azimuth
        boundinertia boundmass bulbradius ccd_tolerance coef contactheight contactwidth cranklength
        cutoff dampratio delay density diameter divisor emission exponent extent fitscale fogend
        fogstart forcewidth fovy fpmax framelength framewidth frictionloss fvmax gain gap glow
        gravcomp imax impratio inertiabox inflate inheritrange intensity inttotal ipd jointlength
        jointwidth ki kp kv linewidth lmax lmin ls_tolerance margin mass massscale maxforce
        meaninertia meanmass meansize metallic noise noslip_tolerance o_margin poisson prm radius
        random realtime ref reflectance resistance roughness settotalmass shadowclip shadowscale
        shear shininess sleep_tolerance slewmax softness solmix springref springyield stiffnessrot
        tausmooth thickness time timeconst timestep tolerance tolrange torquescale viscosity vmax
        young zfar znear
    """,
    (1, 2): """
        inductance interval motorconst o_solref solref solreffix solreffriction solreflimit
        springlength yield
    """,
    (1, 3): "cogging damping friction nominal saturation stiffness",
    (1, 5): """
        fluidcoef lugre o_friction o_solimp polycoef solimp solimpfix solimpfriction solimplimit
    """,
    (1, 6): "controller gear surfacevel thermal",
    (1, 10): "biasprm dynprm gainprm",
    (1, None): """
        act ctrl data mpos mquat nodecoord normal params plastic point qpos qvel size texcoord user
        vertex vertweight
    """,
    (2, 2): """
        actrange actuatorfrcrange ctrlrange ffrange focal focalpixel forcerange lengthrange posrange
        principal principalpixel range sectionsize sensorsize springdamper texrepeat velrange
    """,
    (3, 3): """
        ambient anchor attenuation axis bias bindpos center diaginertia diffuse dir euler gravity
        magnetic markrgb offset origin pos refpos rgb1 rgb2 scale spacing specular wind zaxis
    """,
    (4, 4): "axisangle bindquat quat refquat rgba",
    (6, 6): "fromto fullinertia xyaxes",
    (7, 7): "relpose",
}
NUMBERS: dict[str, Numbers] = _listed(True, _WHOLE) | _listed(False, _REAL)
"""What an attribute holds in every element for which `ELSEWHERE` says nothing else."""

_ONE, _TWO = Numbers(1, 1), Numbers(2, 2)
ELSEWHERE: dict[tuple[str, str], Numbers | None] = {
    ("headlight", "active"): Numbers(1, 1, True),
    ("numeric", "size"): Numbers(1, 1, True),
    ("replicate", "count"): Numbers(1, 1, True),
    ("frame", "scale"): Numbers(1, 3),
    ("muscle", "scale"): _ONE,
    ("muscle", "timeconst"): _TWO,
    ("lengthrange", "interval"): _ONE,
    ("pair", "friction"): Numbers(1, 5),
    ("global", "elevation"): _ONE,
    ("hfield", "elevation"): Numbers(1, None),
    ("edge", "damping"): _ONE,
    ("edge", "stiffness"): _ONE,
    ("elasticity", "damping"): _ONE,
    ("hfield", "size"): Numbers(4, 4),
    ("geom", "size"): Numbers(1, 3),
    ("site", "size"): Numbers(1, 3),
    ("tendon", "width"): _ONE,
    ("spatial", "width"): _ONE,
    ("texture", "width"): Numbers(1, 1, True),
    ("light", "range"): _ONE,
    ("pin", "range"): Numbers(1, None, True),
    ("material", "specular"): _ONE,
    ("muscle", "force"): _ONE,
    # what is a number elsewhere
    ("contact", "data"): None,
    ("rangefinder", "data"): None,
    ("text", "data"): None,
    ("flag", "gravity"): None,
    ("flag", "frictionloss"): None,
}
"""What an attribute holds in one element: as above, or None for text."""

ALL_OF: dict[str, Numbers] = {"rgba": Numbers(4, 4), "scale": _ONE, "map": _ONE}
"""Elements below <visual> all of whose attributes hold the same."""

MAY_BE_EMPTY = {
    *("name", "class", "model", "prefix", "value", "key"),
    *("file", "content_type", "meshdir", "texturedir", "assetdir"),
}
"""Attributes for which the empty text is a value."""


def held(parent: str, element: str, attribute: str) -> Numbers | None:
    """Return the numbers that an attribute holds; None for text."""
    if parent == "visual" and element in ALL_OF:
        return ALL_OF[element]
    if (element, attribute) in ELSEWHERE:
        return ELSEWHERE[element, attribute]
    return NUMBERS.get(attribute)
