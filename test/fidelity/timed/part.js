// A page's libraries take the processor for a while each time they are run, out of a cache too.
const until = performance.now() + 200;
while (performance.now() < until);
