const heading = document.getElementById("h");
heading.textContent = "After";
heading.style.cssText = "background:#fcb9b2;color:#461220;padding:60px;margin:0";
