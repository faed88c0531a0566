document.body.style.background = "#c1121f";
