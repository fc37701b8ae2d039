"""The fit of triangles: columns of joints, pools, consistent robots and their deviations."""
