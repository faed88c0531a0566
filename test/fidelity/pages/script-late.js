document.getElementById("late").style.background = "#7678ed";
