// A robot as benchmarks/cases.py writes it: one line per moving body, parent before child.

#pragma once

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Body
{
  std::string name, type;  // revolute or prismatic, about or along z
  int parent;              // number of a body, or -1
  double rotation[9];      // row by row, from the body's frame at position zero to the parent's
  double position[3];      // of the body's frame in the parent's [m]
  double mass;             // [kg]
  double com[3];           // in the body's frame [m]
  double inertia[6];       // xx xy xz yy yz zz about the centre of mass [kg m^2]
};

inline std::vector<Body> read_tree(const char * path)
{
  std::ifstream file(path);
  std::vector<Body> bodies;
  Body body;
  while (file >> body.name >> body.type >> body.parent) {
    for (double & x : body.rotation) {file >> x;}
    for (double & x : body.position) {file >> x;}
    file >> body.mass;
    for (double & x : body.com) {file >> x;}
    for (double & x : body.inertia) {file >> x;}
    bodies.push_back(body);
  }
  if (!file.eof()) {
    throw std::runtime_error("a line of the tree cannot be read");
  }
  return bodies;
}
