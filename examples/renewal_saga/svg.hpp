// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab {

/// With what XML needs escaped, in text and in quoted attributes.
std::string escaped(std::string_view text);

/// At most one digit behind the point, whatever the locale.
std::string coordinate(double number);

struct Box {
  double x, y, width, height;
};

enum class Anchor { start, middle, end };

/// An SVG picture, put together shape by shape. Colours are classes of `plot_style`, so that light and dark
/// need one picture only.
class Drawing {
 public:
  /// @param heading stands above the picture: in the page, or in the file
  /// @param description is for those who cannot see it
  Drawing(double width, double height, std::string heading, std::string description)
      : width_(width), height_(height), heading_(std::move(heading)), description_(std::move(description)) {}
  const std::string& heading() const { return heading_; }

  void rect(const Box& box, std::string_view classes, double opacity = 1);
  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  void polyline(const std::vector<std::pair<double, double>>& points, std::string_view classes);
  void circle(double x, double y, double radius, std::string_view classes);
  void text(double x, double y, std::string_view words, std::string_view classes,
            Anchor anchor = Anchor::start);
  /// Read from the bottom upward.
  void text_upward(double x, double y, std::string_view words, std::string_view classes);

  /// To be put into a page that has `plot_style`. @param id of the picture, unique in the page
  std::string inlined(std::string_view id) const;
  /// A file of its own, with its style.
  std::string standalone() const;

 private:
  std::string svg(std::string_view id, std::string_view attributes, double top,
                  std::string_view before) const;

  double width_, height_;
  std::string heading_, description_;
  std::string body_;
};

/// The classes of all plots, light and dark.
std::string_view plot_style();

}  // namespace lab
