const forecast = await (await fetch("forecast.json")).json();
document.getElementById("place").textContent = forecast.place;
document.getElementById("temperature").textContent = `${forecast.temperature}°`;
document.getElementById("summary").textContent = forecast.summary;

for (const [turn, { day, sky, high, low }] of forecast.days.entries()) {
  const card = document.createElement("li");
  card.style.setProperty("--turn", turn);
  const icon = document.createElement("img");
  icon.src = `icons/${sky}.svg`;
  icon.alt = sky;
  const degrees = document.createElement("b");
  degrees.textContent = `${high}° `;
  const night = document.createElement("span");
  night.textContent = `${low}°`;
  degrees.append(night);
  card.append(day, icon, degrees);
  document.getElementById("days").append(card);
}
document.body.classList.add("drawn");
// All of it moves by one clock, from the next frame: on a busy computer its parts would otherwise begin some frames apart.
requestAnimationFrame((now) => {
  for (const animation of document.getAnimations()) animation.startTime = now;
});
