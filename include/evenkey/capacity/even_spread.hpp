// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// The fullest of N bins into which k balls fall at random: what `expected_lift` is made of.
//
// P(fullest <= m) = P(N Poisson numbers, each at most m, sum to k) / P(Poisson(k) = k), whatever the mean of
// the N is taken to be; k / N here. (B. Levin, "A representation for multinomial cumulative distribution
// functions", Annals of Statistics 9, 1981.) The sum's distribution is worked out exactly for few balls, and
// by the normal distribution with its correction for skewness for many.
namespace evenkey::capacity::detail {

/// log P(Poisson(mean) = count).
inline double log_poisson(double mean, double count) {
  return count * std::log(mean) - mean - std::lgamma(count + 1);
}

/// The coefficients 0 … k of the product of two polynomials.
inline std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b,
                                   std::size_t k) {
  std::vector<double> result((std::min)(k, a.size() + b.size() - 2) + 1);
  for (std::size_t i = 0; i < a.size() && i <= k; ++i)
    for (std::size_t j = 0; j < b.size() && i + j <= k; ++j)
      result[i + j] += a[i] * b[j];
  return result;
}

/// P(N Poisson numbers of mean k / N, each at most m, sum to k), by the N-th power of a polynomial. All
/// terms are positive, so that nothing cancels.
inline double exact_sum(std::uint32_t bins, std::size_t k, std::size_t m) {
  const double mean = static_cast<double>(k) / bins;
  std::vector<double> square(m + 1), power{1};
  for (std::size_t j = 0; j <= m; ++j)
    square[j] = std::exp(log_poisson(mean, static_cast<double>(j)));
  for (std::uint32_t rest = bins; rest != 0; rest /= 2) {
    if (rest % 2 != 0) power = product(power, square, k);
    if (rest > 1) square = product(square, square, k);
  }
  return power.size() > k ? power[k] : 0;
}

/// E(k / fullest) for few balls.
inline double exact_lift(std::uint32_t bins, std::size_t k) {
  const double all = std::exp(log_poisson(static_cast<double>(k), static_cast<double>(k)));
  double lift = 0, below = 0;
  for (std::size_t m = (k - 1) / bins + 1; m <= k && below < 1 - 1e-12; ++m) {
    const double up_to = m == k ? 1 : (std::min)(1.0, exact_sum(bins, k, m) / all);
    lift += (up_to - below) * static_cast<double>(k) / static_cast<double>(m);
    below = up_to;
  }
  return lift + (1 - below) * 1;  // at most 1e-12 is left
}

/// E(k / fullest) where the sum of the N may be taken for normal.
inline double approximate_lift(std::uint32_t bins, double k) {
  const double n = bins, mean = k / n, deviation = std::sqrt(mean);
  const double log_all = -std::log(2 * 3.14159265358979323846 * k) / 2;  // of P(Poisson(k) = k)
  double mass = 0, first = 0, second = 0, third = 0;                     // moments about the mean, up to m
  double lift = 0, below = 0;
  for (double m = (std::max)(0.0, std::floor(mean - 12 * deviation)); below < 1 - 1e-9; ++m) {
    const double probability = std::exp(log_poisson(mean, m)), off = m - mean;
    mass += probability;
    first += probability * off;
    second += probability * off * off;
    third += probability * off * off * off;
    if (m > mean + 20 * deviation + 40) break;  // rounding keeps `below` from 1
    if (m < mean) continue;                     // the fullest holds at least the mean
    const double shift = first / mass, variance = second / mass - shift * shift;
    if (!(variance > 0)) continue;
    const double skewness =
        (third / mass - 3 * shift * second / mass + 2 * shift * shift * shift) / std::pow(variance, 1.5);
    // The sum is to be k, that is, off its mean by so many deviations.
    const double x = -std::sqrt(n) * shift / std::sqrt(variance);
    const double skewed = 1 + skewness / (6 * std::sqrt(n)) * (x * x * x - 3 * x);
    if (!(skewed > 0)) continue;
    const double log_density = -x * x / 2 - std::log(2 * 3.14159265358979323846 * n * variance) / 2;
    const double up_to = (std::min)(1.0, std::exp(n * std::log(mass) + log_density - log_all) * skewed);
    if (up_to <= below) continue;
    lift += (up_to - below) * k / m;
    below = up_to;
  }
  return lift / below;
}

/// The mean of the largest of N standard normal numbers.
inline double largest_normal(double n) {
  constexpr double step = 1.0 / 128;
  double sum = 0;
  for (double x = -10 + step / 2; x < 10; x += step) {
    const double all_below = std::exp(n * std::log1p(-std::erfc(x / std::sqrt(2.0)) / 2));
    sum += (x > 0 ? 1 - all_below : -all_below) * step;
  }
  return sum;
}

}  // namespace evenkey::capacity::detail
