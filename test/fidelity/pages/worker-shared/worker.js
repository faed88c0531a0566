onconnect = ({ ports }) => ports[0].postMessage("#76c893");
