const video = document.querySelector("video");
if (video !== null) {
  // The display's own size, which the window may not have.
  video.width = screen.width;
  video.height = screen.height;
  video.src = `file://${new URLSearchParams(location.search).get("clip")}`;
}
