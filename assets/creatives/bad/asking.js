/** What people would be asked to grant; a browser without the means throws, which is as good as a refusal. */
const wishes = {
  camera: () => navigator.mediaDevices.getUserMedia({ video: true }),
  microphone: () => navigator.mediaDevices.getUserMedia({ audio: true }),
  "the screen's picture": () => navigator.mediaDevices.getDisplayMedia(),
  place: () => new Promise((granted, refused) => navigator.geolocation.getCurrentPosition(granted, refused)),
  notifications: async () => granted(await Notification.requestPermission()),
  clipboard: () => navigator.clipboard.readText(),
  MIDI: () => navigator.requestMIDIAccess({ sysex: true }),
  "idle times": async () => granted(await IdleDetector.requestPermission()),
  "lasting storage": async () => granted((await navigator.storage.persist()) ? "granted" : "denied"),
  "wake lock": () => navigator.wakeLock.request("screen"),
  fullscreen: () => document.documentElement.requestFullscreen(),
  pointer: () => document.body.requestPointerLock(),
  USB: () => navigator.usb.requestDevice({ filters: [] }),
  Bluetooth: () => navigator.bluetooth.requestDevice({ acceptAllDevices: true }),
  "serial port": () => navigator.serial.requestPort(),
  files: () => showOpenFilePicker(),
};

function granted(answer) {
  if (answer !== "granted") throw new Error(answer);
}

window.misbehave = () => {
  for (const [wish, ask] of Object.entries(wishes)) {
    new Promise((done) => done(ask())).then(
      () => tell(`${wish}: granted`),
      () => tell(`${wish}: refused`),
    );
  }
};
