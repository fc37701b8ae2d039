// Many rounds over the same states in one call, so that what a call from Python costs is lost.

typedef void evaluation(void * self, const double * q, const double * qd, const double * qdd,
                        double * tau, long count);

void repeat(evaluation * evaluate, void * self, const double * q, const double * qd,
            const double * qdd, double * tau, long count, long rounds)
{
  for (long round = 0; round < rounds; ++round) {
    evaluate(self, q, qd, qdd, tau, count);
  }
}
