"""The freedoms of a robot's description, used for fewer operations at the same efforts."""
