// A switch of versions below the name of the project, where versions.json stands beside the folder of this one.
(async () => {
  const root = new URL(document.documentElement.dataset.content_root, document.baseURI);
  const answer = await fetch(new URL("../versions.json", root)).catch(() => null);
  const brand = document.querySelector(".sidebar-brand");
  if (!answer?.ok || !brand) return;
  const here = root.pathname.split("/").at(-2);
  const choice = document.createElement("select");
  choice.className = "versions";
  choice.ariaLabel = "Version";
  for (const { version, url } of await answer.json()) {
    choice.add(new Option(version, new URL(`../${url}`, root), version === here, version === here));
  }
  choice.onchange = () => location.assign(choice.value);
  brand.after(choice);
})();
