const heights = [0.42, 0.66, 0.88, 0.6, 0.97, 0.74, 0.5, 0.82, 0.58, 0.36];
for (const [index, height] of heights.entries()) {
  const bar = document.createElement("b");
  bar.style.setProperty("--top", height);
  bar.style.animationDelay = `${-0.23 * index}s`;
  document.getElementById("bars").append(bar);
}

/** The player calls this when the page is on air: nothing moves before, so that no beat is lost below another item. */
window.BroadSignPlay = () => {
  document.body.classList.add("started");
  document.getElementById("state").textContent = "started by the player";
};
