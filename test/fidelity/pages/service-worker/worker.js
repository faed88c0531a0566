addEventListener("fetch", () => {});
