"""stub"""
import hashlib, os, tempfile
from pathlib import Path
def cache_folder() -> Path:
    p=Path(os.environ.get("EVENTIDE_CACHE_DIR", "/tmp/evcache")); p.mkdir(exist_ok=True); return p
def write_source(source: str, label: str) -> Path:
    h=hashlib.sha256(source.encode()).hexdigest()[:24]
    p=cache_folder()/f"{label}_{h}.py"
    if not p.exists():
        t=p.with_suffix(f".{os.getpid()}.tmp"); t.write_text(source); os.replace(t,p); os.utime(p,(1,1))
    return p
