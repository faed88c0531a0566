const spotUrl = new URLSearchParams(location.search).get("spot") ?? "";
// The display's own size, which the window may not have.
const { width, height } = screen;

void play();

async function play() {
  for (;;) {
    const { data } = await (await fetch(spotUrl)).json();
    for (const item of data.newsFirst ? [data.news, data.ad] : [data.ad, data.news]) {
      document.body.replaceChildren(elementFor(item));
      await new Promise((resolve) => setTimeout(resolve, item.duration));
      void fetch(item.pop);
    }
  }
}

/** @param {{ mimeType: string, url: string }} item */
function elementFor({ mimeType, url }) {
  const [form] = mimeType.split("/");
  if (form === "video")
    return Object.assign(document.createElement("video"), { width, height, autoplay: true, muted: true, src: url });
  return Object.assign(document.createElement(form === "image" ? "img" : "iframe"), { width, height, src: url });
}
