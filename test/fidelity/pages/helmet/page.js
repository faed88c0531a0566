document.getElementById("told").textContent = `${innerWidth} by ${innerHeight}`;
