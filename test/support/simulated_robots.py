"""Robots for the simulators: a pendulum, a tree, a gripper, and what ships."""

from support.paths import ROOT

MASS, LENGTH, INERTIA = 3.0, 0.7, 0.2
PENDULUM = f"""
<robot name="pendulum">
  <link name="world"/>
  <joint name="hinge" type="revolute">
    <parent link="world"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-9" upper="9" effort="0.001" velocity="0.001"/>
    <dynamics damping="{{damping}}" friction="{{friction}}"/>
  </joint>
  <link name="rod">
    <inertial>
      <origin xyz="0 0 -{LENGTH}"/><mass value="{MASS}"/>
      <inertia ixx="{INERTIA}" ixy="0" ixz="0" iyy="{INERTIA}" iyz="0" izz="0.1"/>
    </inertial>
  </link>
</robot>
"""

RX90, HUMANOID = ((ROOT / 'urdf' / f'{name}.urdf').read_text(encoding='utf-8')
                  for name in ('rx90', 'humanoid_3p33r'))

INERTIAL = ('<inertial><origin xyz="0.02 {c} 0.1" rpy="0.3 -0.5 1.1"/><mass value="{m}"/>'
            '<inertia ixx="0.05" ixy="0.004" ixz="-0.003" iyy="0.06" iyz="0.002" izz="0.04"/>'
            '</inertial>')


def link(name, mass=1.0, com=0.03):
    return f'<link name="{name}">{INERTIAL.format(m=mass, c=com) if mass else ""}</link>'


def joint(name, kind, parent, child, extra='', xyz='0.1 0 0.3', rpy='0.2 0.4 -0.3',
          axis='0.6 0 0.8'):
    limit = '<limit lower="-2" upper="2" effort="9" velocity="3"/>'
    return (f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}" rpy="{rpy}"/>'
            f'<parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>'
            f'{limit if kind in ("revolute", "prismatic") else ""}{extra}</joint>')


def robot(*elements):
    return f'<robot name="test">{"".join(elements)}</robot>'


# In the file a child's joint may precede its parent's, and branches may be mixed.
TREE = robot(
    link('base', 9.0), link('a'), link('b', 2.0), link('c', 0), link('d', 0.5), link('e', 0.7),
    link('tool', 0.2), link('massless_end', 0),
    joint('elbow', 'prismatic', 'a', 'b'), joint('waist', 'continuous', 'base', 'a'),
    joint('other', 'revolute', 'a', 'c', axis='0 1 0'), joint('weld', 'fixed', 'c', 'd'),
    joint('wrist', 'revolute', 'c', 'e', axis='1 0 0'), joint('grip', 'fixed', 'e', 'tool'),
    joint('tip', 'fixed', 'tool', 'massless_end'))

GRIPPER = robot(
    link('base', 0), link('hand'), link('left', 0.3), link('right', 0.4, -0.05),
    link('nail', 0.1),
    joint('turn', 'revolute', 'base', 'hand'),
    joint('nail_joint', 'revolute', 'right', 'nail', axis='0 1 0',
          extra='<mimic joint="right_joint" multiplier="3" offset="-0.1"/>'),
    joint('left_joint', 'prismatic', 'hand', 'left'),
    joint('right_joint', 'prismatic', 'hand', 'right', axis='0 1 0',
          extra='<mimic joint="left_joint" multiplier="-0.5" offset="0.02"/>'))
