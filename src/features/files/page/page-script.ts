/**
 * The script of the upload page. It sends the chosen file to the page's own address, and shows the progress. It is a
 * string, so that no bundler changes it. `inWords` and `fits` repeat `sizeInWords` and `isAccepted` of
 * features/files/accept.ts, which it cannot import.
 */
export const SCRIPT = `
"use strict";
const part = (id) => document.getElementById(id);
const [form, input, drop, why, going, bar, share, send, stop, status] =
  ["form", "file", "drop", "why", "going", "bar", "share", "send", "stop", "status"].map(part);
const most = Number(form.dataset.most);
const accept = input.accept.toLowerCase().split(",").filter(Boolean);
const now = { upload: undefined };

function inWords(bytes) {
  const units = ["bytes", "kB", "MB", "GB"];
  let at = 0;
  for (; bytes >= 1000 && at < 3; at++) bytes /= 1000;
  return Number(bytes.toFixed(at === 0 || bytes >= 100 ? 0 : 1)) + " " + units[at];
}

function fits({ name, type }) {
  return accept.length === 0 || accept.some((one) => {
    if (one.startsWith(".")) return name.toLowerCase().endsWith(one);
    return one.endsWith("/*") ? type.startsWith(one.slice(0, -1)) : type.split(";")[0] === one;
  });
}

function problemOf(files) {
  if (files.length === 0) return "Choose a file first.";
  if (files.length > 1) return "Choose one file only.";
  const [file] = files;
  if (!fits(file)) return "“" + file.name + "” is not one of the files that are asked for: " + form.dataset.kinds + ".";
  if (file.size > most) {
    return "“" + file.name + "” is larger than " + inWords(most) + ", the most that can be uploaded.";
  }
  return "";
}

function tell(problem) {
  why.textContent = problem;
  why.hidden = problem === "";
  if (problem === "") input.removeAttribute("aria-invalid");
  else input.setAttribute("aria-invalid", "true");
}

function show(isGoing) {
  going.hidden = stop.hidden = !isGoing;
  send.hidden = isGoing;
  input.disabled = isGoing;
}

/** Replaces the form: there is nothing more to do. */
function end(heading, text) {
  document.title = heading;
  const title = document.createElement("h1");
  title.textContent = heading;
  title.tabIndex = -1;
  const body = document.createElement("p");
  body.textContent = text;
  document.querySelector("main").replaceChildren(title, body);
  title.focus();
}

function start(file) {
  const request = new XMLHttpRequest();
  now.upload = request;
  request.open("PUT", location.href);
  request.setRequestHeader("content-type", file.type || "application/octet-stream");
  request.setRequestHeader("x-file-name", encodeURIComponent(file.name));
  request.upload.onprogress = ({ loaded, total }) => {
    bar.value = total === 0 ? 0 : loaded / total;
    share.textContent = inWords(loaded) + " of " + inWords(file.size);
  };
  const over = (problem) => {
    now.upload = undefined;
    show(false);
    status.textContent = "";
    tell(problem);
    if (problem !== "") send.focus();
  };
  request.onload = () => {
    let answer = {};
    try {
      answer = JSON.parse(request.responseText);
    } catch {}
    if (request.status === 201) {
      now.upload = undefined;
      const text = inWords(answer.size) + ". Go back to your assistant. You can close this page.";
      return end("Received “" + answer.filename + "”", text);
    }
    const isOver = request.status === 403 || request.status === 409 || request.status === 410;
    if (isOver) {
      now.upload = undefined;
      return end(request.status === 409 ? "Already received" : "This page is closed", answer.message);
    }
    over(answer.message || "The server cannot take the file now. Try again in a minute.");
  };
  request.onerror = () => over("The upload was interrupted. Check your connection and the file, and try again.");
  request.onabort = () => over("");
  tell("");
  bar.value = 0;
  share.textContent = "";
  status.textContent = "Uploading “" + file.name + "”";
  show(true);
  stop.focus();
  request.send(file);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (now.upload) return;
  const problem = problemOf(input.files);
  tell(problem);
  if (problem === "") start(input.files[0]);
  else input.focus();
});
input.addEventListener("change", () => tell(input.files.length === 0 ? "" : problemOf(input.files)));
stop.addEventListener("click", () => {
  now.upload?.abort();
  send.focus();
});
for (const type of ["dragover", "dragleave", "drop"]) {
  addEventListener(type, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", type === "dragover" && !now.upload);
    if (type !== "drop" || now.upload || event.dataTransfer.files.length === 0) return;
    const problem = problemOf(event.dataTransfer.files);
    if (problem === "") input.files = event.dataTransfer.files;
    tell(problem);
    (problem === "" ? send : input).focus();
  });
}
addEventListener("beforeunload", (event) => now.upload && event.preventDefault());
send.disabled = false;
`;
