onmessage = ({ data }) => postMessage(data * 2 === 42 ? "#b5e48c" : "#c1121f");
