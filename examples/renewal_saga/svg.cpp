// SPDX-License-Identifier: BSL-1.0
#include "svg.hpp"

#include <cmath>
#include <cstdlib>

namespace lab {

std::string escaped(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string coordinate(double number) {
  const long long tenths = std::llround(number * 10);
  std::string text = tenths < 0 ? "-" : "";
  text += std::to_string(std::llabs(tenths) / 10);
  if (tenths % 10 != 0) text += "." + std::to_string(std::llabs(tenths) % 10);
  return text;
}

namespace {

std::string attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + coordinate(value) + "\"";
}
std::string classed(std::string_view classes) { return " class=\"" + std::string(classes) + "\""; }

}  // namespace

void Drawing::rect(const Box& box, std::string_view classes, double opacity) {
  body_ += "<rect" + attribute("x", box.x) + attribute("y", box.y) + attribute("width", box.width) +
           attribute("height", box.height) + classed(classes);
  if (opacity < 1) body_ += attribute("fill-opacity", opacity);
  body_ += "/>\n";
}

void Drawing::line(double x1, double y1, double x2, double y2, std::string_view classes) {
  body_ += "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) + attribute("y2", y2) +
           classed(classes) + "/>\n";
}

void Drawing::polyline(const std::vector<std::pair<double, double>>& points, std::string_view classes) {
  body_ += "<polyline points=\"";
  for (std::size_t i = 0; i < points.size(); ++i)
    body_ += (i == 0 ? "" : " ") + coordinate(points[i].first) + "," + coordinate(points[i].second);
  body_ += "\"" + classed(classes) + "/>\n";
}

void Drawing::circle(double x, double y, double radius, std::string_view classes) {
  body_ += "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius) + classed(classes) +
           "/>\n";
}

void Drawing::text(double x, double y, std::string_view words, std::string_view classes, Anchor anchor) {
  body_ += "<text" + attribute("x", x) + attribute("y", y) + classed(classes);
  if (anchor != Anchor::start)
    body_ += anchor == Anchor::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
  body_ += ">" + escaped(words) + "</text>\n";
}

void Drawing::text_upward(double x, double y, std::string_view words, std::string_view classes) {
  body_ += "<text transform=\"translate(" + coordinate(x) + " " + coordinate(y) + ") rotate(-90)\"" +
           classed(classes) + " text-anchor=\"middle\">" + escaped(words) + "</text>\n";
}

std::string Drawing::svg(std::string_view id, std::string_view attributes, double top,
                         std::string_view before) const {
  const std::string name(id);
  return "<svg" + std::string(attributes) + " viewBox=\"0 " + coordinate(top) + " " + coordinate(width_) +
         " " + coordinate(height_ - top) + "\" role=\"img\" aria-labelledby=\"" + name + "-title " + name +
         "-about\">\n<title id=\"" + name + "-title\">" + escaped(heading_) + "</title>\n<desc id=\"" + name +
         "-about\">" + escaped(description_) + "</desc>\n" + std::string(before) + body_ + "</svg>\n";
}

std::string Drawing::inlined(std::string_view id) const { return svg(id, " class=\"plot\"", 0, ""); }

std::string Drawing::standalone() const {
  constexpr double for_heading = 20;
  // As wide as the README's column, at most; the background makes it readable whatever page it stands in.
  const std::string size = attribute("width", 2 * width_) + attribute("height", 2 * (height_ + for_heading));
  Drawing above(width_, height_, "", "");
  above.rect({0, -for_heading, width_, height_ + for_heading}, "paper");
  above.text(4, -5, heading_, "title");
  return "<!-- SPDX-License-Identifier: BSL-1.0 -->\n" +
         svg("picture", " xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\"" + size, -for_heading,
             "<style>" + std::string(plot_style()) + "</style>\n" + above.body_);
}

std::string_view plot_style() {
  return R"(
:root { --paper: #fff; --ink: #1b1f24; --soft: #57606a; --rule: #d5dae0;
  --before: #c2410c; --after: #1259b8; --good: #0a7a48; color-scheme: light dark }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15181c; --ink: #e7eaee; --soft: #a5afbb; --rule: #363d46;
    --before: #ff9a5c; --after: #6fadff; --good: #4ecb8d }
}
.plot { font: 10.5px system-ui, sans-serif }
.plot text { fill: var(--soft) }
.plot .strong { fill: var(--ink); font-weight: 600 }
.plot .title { fill: var(--ink); font-weight: 600; font-size: 12px }
.plot .paper { fill: var(--paper) }
.plot .grid { stroke: var(--rule); stroke-width: .6 }
.plot .axis { stroke: var(--soft); stroke-width: .8 }
.plot .limit { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 5 3 }
.plot .target { stroke: var(--good); stroke-width: 1; stroke-dasharray: 2 2 }
.plot .before, .plot .hot { fill: var(--before) }
.plot .after { fill: var(--after) }
.plot .good { fill: var(--good) }
.plot .empty { fill: var(--rule); fill-opacity: .35 }
.plot .before-line, .plot .after-line { fill: none; stroke: var(--before); stroke-width: 1.2 }
.plot .after-line { stroke: var(--after) }
.plot .ring { fill: none; stroke: var(--good); stroke-width: 2 }
.plot text.before-text { fill: var(--before); font-weight: 600 }
.plot text.after-text { fill: var(--after); font-weight: 600 }
.plot text.good-text { fill: var(--good); font-weight: 600 }
)";
}

}  // namespace lab
