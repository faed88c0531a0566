document.body.style.borderLeft = "200px solid #386641";
